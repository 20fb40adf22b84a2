snt_add(scenes arm)
snt_add(scenes implicit)
snt_add(scenes rex)
snt_add(scenes rex_motion)
