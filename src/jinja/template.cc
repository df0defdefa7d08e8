#include "jinja/template.h"

#include "base/concat.h"
#include "jinja/interpreter.h"
#include "jinja/parser.h"

namespace brigada::jinja {

Template::Template(std::unique_ptr<const Tree> tree) : tree_(std::move(tree)) {}
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

Result<Template> Template::parse(std::string_view source) {
    TRY(std::unique_ptr<const Tree> tree, parse_template(source));
    return Template(std::move(tree));
}

Result<std::string> Template::render(const Json& context, const RenderOptions& options) const {
    if (!context.is_object())
        return template_error(
            concat("a template's context must be a JSON object, not ", context.type_name()));
    Heap heap(options.limits);
    TRY(const Value variables, heap.from_json(context));
    return render(heap, variables.as_dict(), options.now);
}

Result<std::string> Template::render(Heap& heap, const Dict& context, Now now) const {
    return Interpreter(*tree_, heap, context, now).run();
}

}  // namespace brigada::jinja
