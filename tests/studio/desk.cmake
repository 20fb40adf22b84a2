# Documents, models, frames.
foreach(name patch history journal desk player builder)
    snt_add_studio(${name})
endforeach()
