snt_add(fit driver_mesh)
snt_add(fit extract)
snt_add(fit face_layout)
snt_add(fit propose)
