snt_add(muscle muscle)
snt_add(muscle patch)
