snt_add(scenes arm)
snt_add(scenes implicit)
snt_add(scenes thighs)
