# find_package(fathom) gives the imported target fathom::fathom.
get_filename_component(_fathom_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_path(FATHOM_INCLUDE_DIR fathom/fathom.h HINTS "${_fathom_prefix}/include" "${_fathom_prefix}/../include")
find_library(FATHOM_LIBRARY fathom HINTS "${_fathom_prefix}" "${_fathom_prefix}/lib")
add_library(fathom::fathom UNKNOWN IMPORTED)
set_target_properties(fathom::fathom PROPERTIES
  IMPORTED_LOCATION "${FATHOM_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${FATHOM_INCLUDE_DIR}")
