package enum_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{enum.Name(supportv1.Status_STATUS_IN_PROGRESS), "in_progress"},
		{enum.Name(supportv1.Category_CATEGORY_TECHNICAL_SUPPORT), "technical_support"},
		{enum.Name(releasesv1.Arch_ARCH_ARM64), "arm64"},
		{enum.Name(identityv1.DeviceKind_DEVICE_KIND_MAC), "mac"},
		{enum.Name(waitlistv1.ImportResult_OUTCOME_KNOWN), "known"},
		{enum.Name(waitlistv1.Source_SOURCE_UNSPECIFIED), ""},
		{enum.Name(waitlistv1.Source(99)), ""},
		{enum.Name(waitlistv1.Source(-1)), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

// TestOfKnowsNamesOnly includes the dotless i, which upper case turns into an I.
func TestOfKnowsNamesOnly(t *testing.T) {
	if got := enum.Of[identityv1.Role]("admin"); got != identityv1.Role_ROLE_ADMIN {
		t.Errorf("admin is %v", got)
	}
	if got := enum.Names[identityv1.Role](); !slices.Equal(got, []string{"user", "moderator", "admin"}) {
		t.Errorf("names %v", got)
	}
	for _, name := range []string{"ADMIN", "Admin", "adm\u0131n", "role_admin", "ROLE_ADMIN", "unspecified", "all", " admin", "admin ", "1", "root", ""} {
		if got := enum.Of[identityv1.Role](name); got != identityv1.Role_ROLE_UNSPECIFIED {
			t.Errorf("%q is %v", name, got)
		}
	}
}

// TestEveryEnumHasAPrefix is what the names depend on.
func TestEveryEnumHasAPrefix(t *testing.T) {
	check := func(e protoreflect.EnumDescriptor) {
		zero := e.Values().ByNumber(0)
		prefix, ok := strings.CutSuffix(string(zero.Name()), "UNSPECIFIED")
		for i := range e.Values().Len() {
			if name := string(e.Values().Get(i).Name()); !ok || !strings.HasPrefix(name, prefix) {
				t.Errorf("%s: %s", e.FullName(), name)
			}
		}
	}
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if !strings.HasPrefix(string(f.Package()), "fledge.") {
			return true
		}
		for i := range f.Enums().Len() {
			check(f.Enums().Get(i))
		}
		for i := range f.Messages().Len() {
			for k := range f.Messages().Get(i).Enums().Len() {
				check(f.Messages().Get(i).Enums().Get(k))
			}
		}
		return true
	})
}
