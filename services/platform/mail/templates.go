package mail

import (
	"embed"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	texttemplate "text/template"
)

//go:embed layout
var layoutFiles embed.FS

// markID is the content ID of the brand's mark in every email with HTML.
const markID = "mark"

// The files around the words of all emails.
const (
	layoutText = "layout.txt"
	layoutHTML = "layout.html"
)

// BuiltIn is what a service sends: its templates, and an email or more for each, by which they are
// shown and checked.
type BuiltIn struct {
	// Files has "templates/<name>.txt" for each template.
	Files   fs.FS
	Samples []Email
}

// Templates are the words of a service's emails: its own, or those of the installation.
type Templates struct {
	own     map[string]*template
	layout  layout
	samples []Email
	// builtIn are what these replace; nil if they are the built-in ones.
	builtIn *Templates
	// support is shown as the address for questions; "" is the product's own.
	support string
}

// AnswerTo has all emails name an address for questions: {{.Support}}, and the layout's.
func (t *Templates) AnswerTo(address string) {
	t.support = address
	if t.builtIn != nil {
		t.builtIn.support = address
	}
}

// Templates reads the service's templates, and those of the installation in dir, which replace the ones of
// the same name; "" has none. An error names the file in dir and what it lacks: each value and
// link that the built-in one shows has to be there.
func (b BuiltIn) Templates(dir string) (*Templates, error) {
	builtIn, err := b.read()
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	if dir == "" {
		return builtIn, nil
	}
	installed, err := builtIn.with(dir)
	if err != nil {
		return nil, fmt.Errorf("MAIL_TEMPLATES_DIR: %w", err)
	}
	return installed, nil
}

// read returns the built-in templates, each of which has a sample.
func (b BuiltIn) read() (*Templates, error) {
	t := &Templates{own: map[string]*template{}, samples: b.Samples}
	files, err := fs.Glob(b.Files, "templates/*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := t.add(b.Files, file); err != nil {
			return nil, err
		}
	}
	for _, file := range []string{layoutText, layoutHTML} {
		if err := t.add(layoutFiles, "layout/"+file); err != nil {
			return nil, err
		}
	}
	sampled := map[string]bool{}
	for _, sample := range b.Samples {
		sampled[sample.Template] = true
		if _, err := t.Compose(sample); err != nil {
			return nil, err
		}
	}
	for name := range t.own {
		if !sampled[name] {
			return nil, fmt.Errorf("%s.txt has no sample", name)
		}
	}
	return t, nil
}

// with returns the templates with those of the directory.
func (t *Templates) with(dir string) (*Templates, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	merged := &Templates{own: maps.Clone(t.own), layout: t.layout, samples: t.samples, builtIn: t}
	for _, entry := range entries {
		file := entry.Name()
		if strings.HasPrefix(file, "..") { // what Kubernetes keeps beside the files of a ConfigMap
			continue
		}
		if !slices.Contains(t.files(), file) {
			return nil, fmt.Errorf("%s: this service has no such template; it has %s", file, strings.Join(t.files(), ", "))
		}
		if err := merged.add(os.DirFS(dir), file); err != nil {
			return nil, err
		}
	}
	return merged, merged.check()
}

// files are the names that may be installed.
func (t *Templates) files() []string {
	files := []string{layoutHTML, layoutText}
	for name := range t.own {
		files = append(files, name+".txt")
	}
	slices.Sort(files)
	return files
}

// add reads a file of the file system.
func (t *Templates) add(files fs.FS, file string) error {
	source, err := fs.ReadFile(files, file)
	if err != nil {
		return err
	}
	switch name := path.Base(file); name {
	case layoutText:
		t.layout.text, err = texttemplate.New(name).Funcs(texttemplate.FuncMap{"quoted": quoted}).Parse(string(source))
	case layoutHTML:
		t.layout.html, err = htmltemplate.New(name).Parse(string(source))
	default:
		t.own[strings.TrimSuffix(name, ".txt")], err = parseTemplate(string(source))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path.Base(file), err)
	}
	return nil
}

// Compose renders the email. A template that cannot take its values is an error that names it.
func (t *Templates) Compose(e Email) (Message, error) {
	own, ok := t.own[e.Template]
	if !ok {
		return Message{}, fmt.Errorf("mail: there is no template %q", e.Template)
	}
	if t.support != "" {
		values := map[string]string{"Support": t.support}
		maps.Copy(values, e.Values)
		e.Values = values
	}
	v, err := own.fill(e)
	if err != nil {
		return Message{}, fmt.Errorf("mail: %s.txt: %w", e.Template, err)
	}
	text, rich, err := t.layout.compose(v)
	if err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	m := Message{
		Key: e.Key, To: e.To, Subject: v.Subject, Text: text, HTML: rich,
		Follows: e.Follows, Followed: e.Followed, Unsubscribe: e.Unsubscribe, ReplyTo: e.ReplyTo,
	}
	return m, m.validate()
}
