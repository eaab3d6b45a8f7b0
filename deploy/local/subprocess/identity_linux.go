package subprocess

import "syscall"

// insideNamespace is root's number inside its user namespace. Any but 0 will do.
const insideNamespace = 1000

func identities() []*Identity { return []*Identity{renumberedRoot(), asNobody()} }

func renumberedRoot() *Identity {
	return &Identity{FileOwner: 0, apply: func(attr *syscall.SysProcAttr) {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideNamespace, HostID: 0, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideNamespace, HostID: 0, Size: 1}}
	}}
}

func attributes(spec Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: spec.StopSignal}
	if spec.Identity != nil {
		spec.Identity.apply(attr)
	}
	return attr
}
