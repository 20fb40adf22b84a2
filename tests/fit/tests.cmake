snt_add(fit driver_mesh)
