snt_add(eval frame)
snt_add(eval memory)
