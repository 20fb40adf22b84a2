snt_add(muscle muscle)
snt_add(muscle patch)
snt_add(muscle patch_depth)
