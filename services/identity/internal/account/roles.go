package account

import "slices"

// Role is what an account may do beyond its own affairs.
type Role string

// Everybody is a user. Admins and moderators are the staff: moderators read people, waitlist and
// tickets and answer tickets, admins may do everything.
const (
	RoleUser      Role = "user"
	RoleModerator Role = "moderator"
	RoleAdmin     Role = "admin"
)

// Listed is a person with their roles, sorted.
type Listed struct {
	User  User
	Roles []Role
}

// RoleChange is what became of somebody's roles.
type RoleChange struct {
	Listed
	Before []Role
}

// Changed is false when the roles were the same before.
func (c RoleChange) Changed() bool { return !slices.Equal(c.Before, c.Roles) }

// Highest returns the role of these that may do the most.
func Highest(roles []Role) Role {
	for _, role := range []Role{RoleAdmin, RoleModerator} {
		if slices.Contains(roles, role) {
			return role
		}
	}
	return RoleUser
}

// Held returns the roles of somebody who is given these: each once, sorted, and
// user among them.
func Held(given []Role) []Role {
	held := append(slices.Clone(given), RoleUser)
	slices.Sort(held)
	return slices.Compact(held)
}
