# model.txt, the machine, what was not run, predictions, observations -> the report, in Markdown or in JSON (format).
# Plain awk, as everywhere: no list of a number's values is kept but the sorted one.

function text(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function number(x) { return x == int(x) || x > 1000 ? sprintf("%.0f", x) : sprintf("%.4g", x) }

function exact(x) { return x == int(x) ? sprintf("%.0f", x) : sprintf("%.10g", x) }

# Sorts the values of a line; sets low, high, count; returns the median.
function median(line, words, n, i, k, v) {
  n = split(line, words, " ") - 2
  for (i = 1; i <= n; i++) {
    v = words[i + 2] + 0
    for (k = i - 1; k >= 1 && sorted[k] > v; k--) sorted[k + 1] = sorted[k]
    sorted[k + 1] = v
  }
  low = sorted[1]; high = sorted[n]; count = n
  return sorted[int((n + 1) / 2)]
}

# The row of model.txt for a quantity; sets tolerance, constant, meaning.
function model(quantity, i, part) {
  for (i = 1; i <= rows; i++)
    if (quantity ~ "^" pattern[i]) {
      tolerance = allowed[i]; constant = named[i]; meaning = what[i]
      if (constant == "\\1") { part = quantity; sub(/^[^.]*\./, "", part); constant = part }
      return
    }
  tolerance = "any"; constant = meaning = ""
}

# "", or how far the observation is from the prediction.
function difference(predicted, observed, is_text, by) {
  if (tolerance == "any") return ""
  if (is_text) return predicted == observed ? "" : "differs"
  by = predicted == 0 ? (observed == 0 ? 0 : 1e9) : 100 * (observed - predicted) / (predicted < 0 ? -predicted : predicted)
  if (by <= tolerance + 0 && -by <= tolerance + 0) return ""
  return by >= 1e9 ? "differs" : sprintf("%+.0f %%", by)
}

/^#/ || NF == 0 { next }
kind == "model" {
  split($0, cell, "|")
  if (split($0, cell, / \| /) < 3) next
  rows++
  pattern[rows] = trim(cell[1]); allowed[rows] = trim(cell[2]); named[rows] = trim(cell[3]); what[rows] = trim(cell[4])
  next
}
kind == "machine" { key = $1; sub(/^[^ ]* /, ""); machine[key] = $0; next }
kind == "not run" { missing[++missings] = $0; next }
kind == "predicted" { prediction[$1] = $0; next }
{ observation[++observations] = $0; seen[$1] = 1 }

END {
  for (i = 1; i <= observations; i++) {
    split(observation[i], word, " ")
    quantity = word[1]; unit = word[2]; is_text = unit == "text"
    model(quantity)
    if (is_text) { value = word[3]; low = high = ""; count = 1 } else value = median(observation[i])
    shown_low = low; shown_high = high; shown_count = count
    has = quantity in prediction
    expected = ""
    if (has) { split(prediction[quantity], word, " "); expected = is_text ? word[3] : median(prediction[quantity]) }
    differs = has ? difference(expected, value, is_text) : ""
    if (differs != "") {
      different++
      if (constant != "" && !(constant in suggested)) {
        constants[++suggestions] = constant
        suggested[constant] = quantity ": " (is_text ? expected : number(expected)) " predicted, " (is_text ? value : number(value)) " observed (" meaning ")"
      }
    }
    compared += has
    group = quantity; sub(/\..*/, "", group)
    if (format == "md") {
      if (group != before)
        table = table "\n| " group " | unit | predicted | observed | low to high | values | differs by |\n|---|---|---:|---:|---:|---:|---|\n"
      table = table "| " substr(quantity, length(group) + 2) " | " (is_text ? "" : unit) " | " (has ? (is_text ? expected : number(expected)) : "") \
        " | " (is_text ? value : number(value)) " | " (is_text ? "" : number(shown_low) " to " number(shown_high)) " | " shown_count \
        " | " (differs == "" ? "" : differs ": " constant) " |\n"
    } else {
      table = table (i > 1 ? ",\n" : "") "  {\"quantity\":" text(quantity) ",\"unit\":" text(unit) \
        ",\"predicted\":" (!has ? "null" : is_text ? text(expected) : exact(expected)) ",\"observed\":" (is_text ? text(value) : exact(value)) \
        (is_text ? "" : ",\"low\":" exact(shown_low) ",\"high\":" exact(shown_high)) ",\"values\":" shown_count \
        ",\"differs\":" (differs == "" ? "false" : "true") ",\"constant\":" text(constant) "}"
    }
    before = group
  }
  if (format == "json") {
    printf "{\n"
    n = split("gpu capability driver toolkit date course system mps predictions", keys, " ")
    for (i = 1; i <= n; i++) printf " %s:%s,\n", text(keys[i]), text(machine[keys[i]])
    printf " \"quantities\":[\n%s\n ],\n \"not_run\":[", table
    for (i = 1; i <= missings; i++) printf "%s\n  %s", (i > 1 ? "," : ""), text(missing[i])
    printf "\n ]\n}\n"
    exit
  }
  printf "# %s, beside clcsim's prediction\n\n", machine["gpu"]
  printf "Compute capability %s, driver %s, CUDA %s, %s; the course at %s; %s; the MPS daemon %s. Predictions: clcsim %s.\n", \
    machine["capability"], machine["driver"], machine["toolkit"], machine["date"], machine["course"], machine["system"], machine["mps"], machine["predictions"]
  printf "\n%d quantities, %d of them with a prediction; %d differ by more than the model allows (model.txt).\n", observations, compared, different
  if (suggestions > 0) printf "\n## What of clcsim's model would have to change\n\n| constant | because |\n|---|---|\n"
  for (i = 1; i <= suggestions; i++) printf "| `%s` | %s |\n", constants[i], suggested[constants[i]]
  printf "\n## What was seen\n\nThe median of the values, and from which to which they go. Of many single events percentiles 5 to 95 are given.\n%s", table
  if (missings > 0) printf "\n## What was not run\n\n"
  for (i = 1; i <= missings; i++) {
    split(missing[i], word, " ")
    printf "- %s%s: %s\n", (word[1] == "failed" ? "**failed** " : ""), word[2], substr(missing[i], length(word[1]) + length(word[2]) + 3)
  }
}
