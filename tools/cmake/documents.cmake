# Manual pages and completion scripts. When the command has been built, it writes them from its options into share/,
# which has the layout of an installation.
set(share ${PROJECT_BINARY_DIR}/share)
set(man_dir ${share}/man/man1)
set(bash_completion ${share}/bash-completion/completions/toroid)
set(zsh_completion ${share}/zsh/vendor-completions/_toroid)
set(fish_completion ${share}/fish/vendor_completions.d/toroid.fish)

add_custom_command(OUTPUT ${man_dir}/toroid.1 ${bash_completion} ${zsh_completion} ${fish_completion}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/bash-completion/completions
          ${share}/zsh/vendor-completions ${share}/fish/vendor_completions.d
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${man_dir}
  COMMAND toroid man --directory ${man_dir}
  COMMAND toroid completion bash > ${bash_completion}
  COMMAND toroid completion zsh > ${zsh_completion}
  COMMAND toroid completion fish > ${fish_completion}
  DEPENDS toroid VERBATIM)
add_custom_target(toroid_documents ALL DEPENDS ${man_dir}/toroid.1 ${bash_completion})

include(GNUInstallDirs)
install(DIRECTORY ${man_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES ${bash_completion}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
        COMPONENT command)
install(FILES ${fish_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT command)
