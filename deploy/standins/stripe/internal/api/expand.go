package api

import (
	"strings"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// maxDepth is how deep an expansion may go; that it begins with "data" counts, too.
const maxDepth = 4

// expand puts objects in the place of their ids, along paths such as
// "data.latest_invoice" (https://docs.stripe.com/api/expanding_objects).
func expand(tx *account.Tx, object account.Object, paths []string) error {
	for _, path := range paths {
		steps := strings.Split(path, ".")
		if len(steps) > maxDepth {
			return account.Refuse("", "expand", "You cannot expand more than %d levels of a property. Property: %s", maxDepth, path)
		}
		if !follow(tx, object, object, steps) {
			return account.Refuse("", "expand", "This property cannot be expanded (%s).", path)
		}
	}
	return nil
}

// follow goes on from an object; owner is the one with an id that it is a part of.
func follow(tx *account.Tx, owner, object account.Object, steps []string) bool {
	if len(steps) == 0 {
		return true
	}
	if object["id"] != nil {
		owner = object
	}
	field, rest := steps[0], steps[1:]
	value, there := object[field]
	if !there {
		included, ok := tx.Include(owner, field)
		if !ok {
			return false
		}
		value, object[field] = included, included
	}
	switch value := value.(type) {
	case nil:
		return true
	case string:
		linked := tx.Lookup(value)
		if linked == nil || field == "id" {
			return false
		}
		object[field] = linked
		return follow(tx, linked, linked, rest)
	case account.Object:
		return follow(tx, owner, value, rest)
	case []account.Object:
		for _, element := range value {
			if !follow(tx, owner, element, rest) {
				return false
			}
		}
		return true
	}
	return false
}
