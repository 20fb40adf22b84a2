snt_add(field compose)
snt_add(field hrbf)
snt_add(field support)
