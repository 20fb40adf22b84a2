# Documents, models, frames: the work without sockets.
target_sources(sinew_studio PRIVATE
    server/build.c
    server/builder.c
    server/command_document.c
    server/command_geometry.c
    server/command_hello.c
    server/command_motion.c
    server/desk.c
    server/desk_commands.c
    server/desk_jobs.c
    server/desk_models.c
    server/desk_pages.c
    server/document.c
    server/document_open.c
    server/document_save.c
    server/document_steps.c
    server/history.c
    server/journal.c
    server/packet.c
    server/patch.c
    server/patch_diff.c
    server/player.c
    server/player_held.c
    server/player_pages.c
    server/player_time.c
    server/recover.c
    server/stage.c
    server/stage_info.c)
# Threads, file locks and clocks of POSIX.
target_compile_definitions(sinew_studio PRIVATE _GNU_SOURCE)
