// The fixed parts of a plan's page.
#pragma once

namespace brigada {

extern const char* const kPlanPageStyle;   // CSS
extern const char* const kPlanPageBody;    // what the script fills
extern const char* const kPlanPageScript;  // reads the JSON of element "plan"

}  // namespace brigada
