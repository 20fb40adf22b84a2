# Documents, models, frames.
foreach(name patch history journal desk crash player builder)
foreach(name patch history journal unsaved desk player builder)
    snt_add_studio(${name})
endforeach()
