#include "report/timeline_file.h"

#include "report/timeline_json.h"
#include "report/timeline_svg.h"

namespace clcsim::report {

std::string timeline_text(const std::string& path, const TimelineRecord& record,
                          const TimelineView& view) {
  return path.ends_with(".svg") ? timeline_svg(record, view) : timeline_json(record, view);
}

}  // namespace clcsim::report
