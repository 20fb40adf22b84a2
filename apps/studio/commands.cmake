# Files, long work and tools.
target_sources(sinew_studio PRIVATE
    server/command_driver.c
    server/command_export.c
    server/command_extract.c
    server/command_files.c
    server/command_film.c
    server/command_import.c
    server/command_jobs.c
    server/command_key_pose.c
    server/command_layout.c
    server/command_measure.c
    server/command_picture.c
    server/command_tools.c
    server/files.c
    server/folder.c
    server/measure.c
    server/outfile.c
    server/pace.c
    server/portrait_request.c
    server/recent.c
    server/roots.c
    server/uploads.c
    server/work.c)
target_link_libraries(sinew_studio PUBLIC sinew_common)
