snt_add(base json)
snt_add(base parallel)
snt_add(base text)
