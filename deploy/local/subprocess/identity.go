package subprocess

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// nobody is the customary uid and gid without rights of its own.
const nobody = 65534

// Identity is another user than root that a child runs as.
type Identity struct {
	// FileOwner is the uid and gid that own what the child writes.
	FileOwner int

	apply func(*syscall.SysProcAttr)
}

// Unprivileged returns an identity under which dir can be entered and probe, a
// program with its arguments, succeeds. It returns nil when the runner is not
// root, and an error when the machine offers no way.
//
// A user namespace in which root has another number comes first: files keep
// their owner, so it works where only root may look. Where containers forbid
// namespaces, the child becomes the user nobody.
func Unprivileged(dir string, probe ...string) (*Identity, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var errs []error
	for _, id := range identities() {
		cmd := exec.Command(probe[0], probe[1:]...)
		cmd.Dir, cmd.Env = dir, []string{}
		id.Apply(cmd)
		err := cmd.Run()
		if err == nil {
			return id, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// Apply makes cmd run as the identity. A nil identity changes nothing.
func (id *Identity) Apply(cmd *exec.Cmd) {
	if id == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	id.apply(cmd.SysProcAttr)
}

func asNobody() *Identity {
	return &Identity{FileOwner: nobody, apply: func(attr *syscall.SysProcAttr) {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}}
}

// Own gives a tree to the identity. A nil identity leaves it as it is.
func (id *Identity) Own(root string) error {
	if id == nil {
		return nil
	}
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, id.FileOwner, id.FileOwner)
	})
}
