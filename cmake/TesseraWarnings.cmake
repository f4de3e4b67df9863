# Flags every target of the project gets, as one interface target.
add_library(tessera_flags INTERFACE)
target_include_directories(tessera_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  -ffp-contract=off -fno-math-errno>                       # every fused multiply-add is written out
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TESSERA_WERROR}>>:-Werror>)
target_compile_definitions(tessera_flags INTERFACE
  $<$<OR:$<BOOL:${TESSERA_CHECK}>,$<CONFIG:Debug>>:TESSERA_CHECK=1>)
if(TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-omit-frame-pointer -g>)
  target_link_options(tessera_flags INTERFACE -fsanitize=address,undefined)
endif()
