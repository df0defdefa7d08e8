# How a folder of src/ becomes a library.
#
#   brigada_library(kv DEPS base USES PkgConfig::xxhash)
#
# makes, from the files of src/kv and its subfolders:
#   *.cc            the library brigada_kv
#   *_test.cc       one program kv_test, run by ctest
#   *_bench.cc      one program kv_bench (Google Benchmark), run by ./dev bench kv
#   NAME_fuzz.cc    one program fuzz_NAME: ctest replays testdata/fuzz/NAME; ./dev fuzz NAME explores
# and a link test: an empty main with the whole library and only the libraries it names, so that an
# upward call fails the build. DEPS must stand above it in the house.
#
# Tests are not optimised, to compile in half the time; with LONG_TESTS, whose tests compute, they are.
#
# A file in a subfolder named after an instruction set (avx2/, avx512/) gets that set's flags.

set(BRIGADA_HOUSE "" CACHE INTERNAL "libraries declared so far, in order")

set(BRIGADA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(BRIGADA_FLAGS_avx512 ${BRIGADA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq
    -mavx512vnni -mavx512bf16 -mavx512vbmi)

function(brigada_library name)
    cmake_parse_arguments(ARG "LONG_TESTS" "" "DEPS;USES;HEAVY" ${ARGN})
    set(dir ${PROJECT_SOURCE_DIR}/src/${name})
    brigada_sources(${dir} sources tests benches fuzzers)
    brigada_check_order(${name} ${ARG_DEPS})
    set(BRIGADA_HOUSE "${BRIGADA_HOUSE};${name}" CACHE INTERNAL "")
    if(NOT sources)
        message(STATUS "src/${name}: nothing to build yet")
        return()
    endif()

    set(target brigada_${name})
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    brigada_link(${target} PUBLIC "${ARG_DEPS}" "${ARG_USES}")
    target_precompile_headers(${target} PRIVATE ${ARG_HEAVY})
    brigada_instruction_sets(${sources} ${tests} ${benches})

    brigada_link_test(${name} "${ARG_DEPS}")
    brigada_test(${name} "${tests}" "${ARG_HEAVY}" ${ARG_LONG_TESTS})
    brigada_bench(${name} "${benches}")
    foreach(source IN LISTS fuzzers)
        brigada_fuzzer(${name} ${source})
    endforeach()
endfunction()

function(brigada_binary name)
    cmake_parse_arguments(ARG "" "FOLDER" "DEPS;USES;HEAVY" ${ARGN})
    brigada_sources(${PROJECT_SOURCE_DIR}/src/${ARG_FOLDER} sources tests benches fuzzers)
    if(NOT sources)
        return()
    endif()
    set(main ${PROJECT_SOURCE_DIR}/src/${ARG_FOLDER}/main.cc)
    list(REMOVE_ITEM sources ${main})
    add_library(brigada_${ARG_FOLDER} STATIC ${sources})
    target_include_directories(brigada_${ARG_FOLDER} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(brigada_${ARG_FOLDER} PRIVATE BRIGADA_VERSION="${PROJECT_VERSION}")
    brigada_link(brigada_${ARG_FOLDER} PUBLIC "${ARG_DEPS}" "${ARG_USES}")
    target_precompile_headers(brigada_${ARG_FOLDER} PRIVATE ${ARG_HEAVY})
    add_executable(${name} ${main})
    target_link_libraries(${name} PRIVATE ${BRIGADA_HEAP} brigada_${ARG_FOLDER})
    brigada_test(${ARG_FOLDER} "${tests}" "${ARG_HEAVY}" FALSE)
endfunction()

# --- parts ------------------------------------------------------------------------------------

function(brigada_sources dir out_sources out_tests out_benches out_fuzzers)
    file(GLOB_RECURSE all CONFIGURE_DEPENDS ${dir}/*.cc)
    set(tests ${all})
    set(benches ${all})
    set(fuzzers ${all})
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
    list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
    list(FILTER all EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
    set(${out_sources} ${all} PARENT_SCOPE)
    set(${out_tests} ${tests} PARENT_SCOPE)
    set(${out_benches} ${benches} PARENT_SCOPE)
    set(${out_fuzzers} ${fuzzers} PARENT_SCOPE)
endfunction()

function(brigada_check_order name)
    foreach(dep IN LISTS ARGN)
        if(NOT dep IN_LIST BRIGADA_HOUSE)
            message(FATAL_ERROR "src/${name} may not use src/${dep}: it does not stand above it")
        endif()
    endforeach()
endfunction()

function(brigada_link target scope deps uses)
    foreach(dep IN LISTS deps)
        if(TARGET brigada_${dep})
            target_link_libraries(${target} ${scope} brigada_${dep})
        endif()
    endforeach()
    target_link_libraries(${target} ${scope} ${uses} Threads::Threads)
endfunction()

function(brigada_instruction_sets)
    foreach(source IN LISTS ARGN)
        if(source MATCHES "/(avx2|avx512)/")
            set_source_files_properties(${source} PROPERTIES
                COMPILE_OPTIONS "${BRIGADA_FLAGS_${CMAKE_MATCH_1}}" SKIP_PRECOMPILE_HEADERS ON)
        endif()
    endforeach()
endfunction()

function(brigada_link_test name deps)
    set(main ${PROJECT_BINARY_DIR}/empty_main.cc)
    if(NOT EXISTS ${main})
        file(WRITE ${main} "int main() {}\n")
    endif()
    add_executable(${name}_link ${main})
    target_link_libraries(${name}_link PRIVATE
        -Wl,--whole-archive brigada_${name} -Wl,--no-whole-archive)
endfunction()

# Of tests, never of what they test; `long` ones stay optimised. simdjson's types change with the level, unless
# told not to.
function(brigada_quick_to_build target long)
    if(BRIGADA_SANITIZE)
        return()
    endif()
    target_compile_options(${target} PRIVATE -g0)
    if(NOT long)
        target_compile_options(${target} PRIVATE -O0)
        target_compile_definitions(${target} PRIVATE SIMDJSON_DEVELOPMENT_CHECKS=0)
    endif()
endfunction()

function(brigada_test name sources heavy long)
    if(NOT sources)
        return()
    endif()
    add_executable(${name}_test ${sources})
    target_link_libraries(${name}_test PRIVATE brigada_${name} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE
        BRIGADA_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
    brigada_quick_to_build(${name}_test ${long})
    target_precompile_headers(${name}_test PRIVATE ${heavy} <gtest/gtest.h> <gmock/gmock.h>)
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
endfunction()

function(brigada_bench name sources)
    if(NOT sources)
        return()
    endif()
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${name}_bench PRIVATE
        ${BRIGADA_HEAP} brigada_${name} benchmark::benchmark benchmark::benchmark_main)
    target_compile_definitions(${name}_bench PRIVATE
        BRIGADA_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
endfunction()

function(brigada_fuzzer library source)
    get_filename_component(stem ${source} NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" name ${stem})
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE brigada_${library})
    if(BRIGADA_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
        brigada_quick_to_build(fuzz_${name} FALSE)
        if(NOT TARGET brigada_replay)
            add_library(brigada_replay OBJECT ${PROJECT_SOURCE_DIR}/tools/replay_corpus.cc)
        endif()
        target_link_libraries(fuzz_${name} PRIVATE brigada_replay)
        add_test(NAME fuzz_${name}
            COMMAND fuzz_${name} ${PROJECT_SOURCE_DIR}/testdata/fuzz/${name})
    endif()
endfunction()
