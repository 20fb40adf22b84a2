snt_add(base json)
