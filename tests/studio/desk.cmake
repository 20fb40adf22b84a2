# Documents, models, frames.
foreach(name patch history journal unsaved desk crash player builder)
    snt_add_studio(${name})
endforeach()
