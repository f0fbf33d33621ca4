// Package schema checks documents against a list of fields.
package schema

import (
	"fmt"
	"sort"
)

type Field struct {
	Name     string
	Required bool
}

type Validator struct {
	fields map[string]Field
	strict bool
}

func NewValidator(fields ...Field) *Validator {
	v := &Validator{fields: make(map[string]Field, len(fields))}
	for _, f := range fields {
		v.fields[f.Name] = f
	}
	return v
}

// Strict makes unknown fields an error.
func (v *Validator) Strict(on bool) *Validator {
	v.strict = on //race:Validator.strict
	return v
}

// Check returns what is wrong with a document.
func (v *Validator) Check(doc map[string]string) []string {
	var faults []string
	for name, f := range v.fields {
		if _, ok := doc[name]; !ok && f.Required {
			faults = append(faults, fmt.Sprintf("%s is missing", name))
		}
	}
	for name := range doc {
		if _, ok := v.fields[name]; !ok && v.strict { //race:Validator.strict
			faults = append(faults, fmt.Sprintf("%s is unknown", name))
		}
	}
	sort.Strings(faults)
	return faults
}
