snt_add(base json)
snt_add(base text)
