snt_add(kind slices)
