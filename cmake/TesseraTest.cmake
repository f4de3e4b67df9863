# tessera_test(NAME box_test SOURCES box_test.cpp DEPENDS engine_geometry LABELS unit)
# One executable, registered with ctest as a whole under its name.
find_package(GTest QUIET)
if(NOT TARGET GTest::gmock)
  message(FATAL_ERROR "GoogleTest was not found, which the tests need. Run ./bootstrap test (it installs all that is missing) or "
    "apt-get install libgtest-dev libgmock-dev, or configure without tests: -DTESSERA_TESTS=OFF.")
endif()
function(tessera_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "SOURCES;DEPENDS;LABELS;DEFINITIONS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900) # a busy machine is no failure
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${ARG_NAME} PRIVATE tessera_flags ${ARG_DEPENDS} GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${ARG_NAME} PRIVATE
    TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TESSERA_BINARY_DIR="${PROJECT_BINARY_DIR}" ${ARG_DEFINITIONS})
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
