snt_add(motion clip)
snt_add(motion skeleton)
snt_add(motion track)
snt_add(motion rig)
