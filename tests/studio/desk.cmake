# Documents, models, frames.
foreach(name patch history held journal unsaved desk crash player kept live builder)
    snt_add_studio(${name})
endforeach()
# The longest begins first.
set_tests_properties(studio/player PROPERTIES COST 100)
