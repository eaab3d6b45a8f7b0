package release

import (
	"strings"
	"time"
)

// Channel says who follows a release: the apps whose feed is the channel's, or that of a
// channel that is less stable.
type Channel string

// The channels of electron-updater (https://www.electron.build/tutorials/release-using-channels).
const (
	Stable Channel = "stable"
	Beta   Channel = "beta"
	Alpha  Channel = "alpha"
)

// Channel is the chosen one; else Alpha for a version as 1.2.0-alpha.1, Beta for any other prerelease, one that only
// GitHub marks included, and else Stable.
func (r Release) Channel() Channel {
	switch {
	case r.Chosen != "":
		return r.Chosen
	case !r.Prerelease:
		return Stable
	case strings.HasPrefix(strings.ToLower(r.Version.prerelease()), string(Alpha)):
		return Alpha
	default:
		return Beta
	}
}

// carries reports whether apps of the channel are offered releases of the other.
func (c Channel) carries(other Channel) bool {
	switch c {
	case Alpha:
		return true
	case Beta:
		return other != Alpha
	default:
		return other == Stable
	}
}

// orStable is the channel, which is Stable when none is named.
func (c Channel) orStable() Channel {
	if c == "" {
		return Stable
	}
	return c
}

// UserChannel is the channel of somebody's account.
type UserChannel struct {
	Channel Channel
	// SetAt is when staff gave it; nil if they have given none, which is Stable or what the person was
	// approved with on the waitlist.
	SetAt *time.Time
}

// Or is the channel of an account that was approved with the given one, "" for none.
func (c UserChannel) Or(approvedWith Channel) Channel {
	if c.SetAt == nil {
		return approvedWith.orStable()
	}
	return c.Channel
}
