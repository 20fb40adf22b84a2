# Documents, models, frames.
foreach(name patch history journal desk player)
    snt_add_studio(${name})
endforeach()
