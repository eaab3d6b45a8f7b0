//go:build !linux

package subprocess

import "syscall"

func identities() []*Identity { return []*Identity{asNobody()} }

func attributes(spec Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if spec.Identity != nil {
		spec.Identity.apply(attr)
	}
	return attr
}
