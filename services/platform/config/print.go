package config

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Print writes every setting as KEY=value, one a line, in the order of the
// struct. Secrets are hidden.
func Print(w io.Writer, cfg any) error {
	return printStruct(w, reflect.Indirect(reflect.ValueOf(cfg)), "")
}

func printStruct(w io.Writer, v reflect.Value, prefix string) error {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if !field.IsExported() {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("env"), ",")
		if key == "" {
			if value.Kind() == reflect.Struct {
				if err := printStruct(w, value, prefix+field.Tag.Get("envPrefix")); err != nil {
					return err
				}
			}
			continue
		}
		if _, err := fmt.Fprintf(w, "%s=%v\n", prefix+key, value.Interface()); err != nil {
			return err
		}
	}
	return nil
}
