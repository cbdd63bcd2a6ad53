// The truth for Go: go/types is asked what each name means, with every module of the sample in one
// workspace, so that each leads to the others' sources.
//
//	truth_go REQUEST ANSWER (JSON files)
package main

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

type request struct {
	Workspace string   // where the repositories are
	Modules   []string // directories of modules, below it
}

type answer struct {
	Definitions [][]any    `json:"definitions"`
	Sites       [][]any    `json:"sites"`
	Unread      [][]string `json:"unread"`      // files that are not built here: [project, file]
	Implemented [][]int    `json:"implemented"` // [type, interface]
}

const loaded = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes |
	packages.NeedTypesInfo | packages.NeedModule

func main() {
	var asked request
	content, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.Unmarshal(content, &asked))
	found := &truth{
		workspace: asked.Workspace,
		index:     map[string]int{},
		places:    map[place]int{},
		declared:  map[place]string{},
		lines:     map[string][]string{},
		seen:      map[place]bool{},
		answer:    answer{Sites: [][]any{}, Unread: [][]string{}, Implemented: [][]int{}},
	}
	all := load(asked)
	for _, one := range all {
		found.define(one)
	}
	for _, one := range all {
		found.use(one)
	}
	found.implement(all)
	found.leaveOut()
	written, err := json.Marshal(found.answer)
	check(err)
	check(os.WriteFile(os.Args[2], written, 0o644))
}

// load reads each module by itself, tests too; what they share is read again, and told once.
func load(asked request) []*packages.Package {
	var all []*packages.Package
	files := token.NewFileSet()
	var patterns []string
	for _, module := range asked.Modules {
		patterns = append(patterns, "./"+module+"/...")
	}
	configuration := &packages.Config{Mode: loaded, Dir: asked.Workspace, Tests: true, Fset: files}
	read, err := packages.Load(configuration, patterns...)
	check(err)
	for _, one := range read {
		for _, problem := range one.Errors {
			log.Printf("%s: %s", one.ID, problem)
		}
		if !strings.HasSuffix(one.ID, ".test") { // a test's main package is generated
			all = append(all, one)
		}
	}
	return all
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// --- Places -------------------------------------------------------------------------------------

type place struct {
	project, file string
	line, column  int
}

type truth struct {
	workspace string
	index     map[string]int // by project, file and qualified name
	places    map[place]int
	declared  map[place]string // how a variable got its value, by where its name stands
	lines     map[string][]string
	seen      map[place]bool // sites: a package is read again with its tests
	answer    answer
}

func (t *truth) place(files *token.FileSet, position token.Pos) (place, bool) {
	at := files.PositionFor(position, false)
	inside, err := filepath.Rel(t.workspace, at.Filename)
	project, file, found := strings.Cut(filepath.ToSlash(inside), "/")
	if err != nil || !found || project == ".." {
		return place{}, false
	}
	if _, read := t.lines[at.Filename]; !read {
		content, err := os.ReadFile(at.Filename)
		check(err)
		t.lines[at.Filename] = strings.Split(string(content), "\n")
	}
	before := t.lines[at.Filename][at.Line-1][:at.Column-1]
	return place{project, file, at.Line, len([]rune(before))}, true
}

// leaveOut tells the files that no package has: of other systems, or behind build tags.
func (t *truth) leaveOut() {
	check(filepath.WalkDir(t.workspace, func(path string, entry fs.DirEntry, err error) error {
		check(err)
		if entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if _, read := t.lines[path]; read || !strings.HasSuffix(path, ".go") {
			return nil
		}
		inside, err := filepath.Rel(t.workspace, path)
		check(err)
		if project, file, found := strings.Cut(filepath.ToSlash(inside), "/"); found {
			t.answer.Unread = append(t.answer.Unread, []string{project, file})
		}
		return nil
	}))
}

// --- Definitions --------------------------------------------------------------------------------

func (t *truth) define(one *packages.Package) {
	for _, file := range one.Syntax {
		t.place(one.Fset, file.Name.Pos()) // so that the file counts as read
		enclosing := ""
		for _, declaration := range file.Decls {
			enclosing = ""
			if function, ok := declaration.(*ast.FuncDecl); ok {
				enclosing = t.defineFunction(one, function)
			}
			t.defineInside(one, declaration, enclosing)
		}
	}
}

func (t *truth) defineFunction(one *packages.Package, function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) == 0 {
		t.add(one, function.Name, function.Name.Name, "function")
		return function.Name.Name
	}
	receiver := nameIn(function.Recv.List[0].Type)
	if receiver == nil {
		return function.Name.Name
	}
	qualified := receiver.Name + "." + function.Name.Name
	t.add(one, function.Name, qualified, "method")
	return qualified
}

// defineInside adds the types of a declaration, wherever it stands, and interfaces' methods.
func (t *truth) defineInside(one *packages.Package, declaration ast.Node, enclosing string) {
	ast.Inspect(declaration, func(node ast.Node) bool {
		t.declare(one, node)
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		qualified := strings.TrimPrefix(enclosing+"."+spec.Name.Name, ".")
		body, isInterface := spec.Type.(*ast.InterfaceType)
		if !isInterface {
			t.add(one, spec.Name, qualified, "class")
			return true
		}
		t.add(one, spec.Name, qualified, "interface")
		for _, field := range body.Methods.List {
			for _, name := range field.Names {
				t.add(one, name, qualified+"."+name.Name, "method")
			}
		}
		return true
	})
}

func (t *truth) add(one *packages.Package, name *ast.Ident, qualified, kind string) {
	at, inside := t.place(one.Fset, name.Pos())
	if !inside || name.Name == "_" {
		return
	}
	key := strings.Join([]string{at.project, at.file, qualified}, ":")
	if _, known := t.index[key]; !known {
		t.index[key] = len(t.answer.Definitions)
		row := []any{at.project, at.file, at.line, qualified, kind, isPublic(one, at.file, qualified)}
		t.answer.Definitions = append(t.answer.Definitions, row)
	}
	t.places[at] = t.index[key]
}

// isPublic: a name that others can use, of a package that they can import.
func isPublic(one *packages.Package, file, qualified string) bool {
	hidden := []string{"internal", "vendor", "testdata", "examples", "tutorials", "testutil"}
	for _, part := range strings.Split(file, "/") {
		if slices.Contains(hidden, part) {
			return false
		}
	}
	for _, part := range strings.Split(qualified, ".") {
		if !ast.IsExported(part) {
			return false
		}
	}
	return one.Name != "main" && !strings.HasSuffix(file, "_test.go")
}

// implement pairs each type with the interfaces that it has all methods of.
func (t *truth) implement(all []*packages.Package) {
	var types_, interfaces []*types.TypeName
	files := map[*types.TypeName]*packages.Package{}
	for _, one := range all {
		if one.ID != one.PkgPath { // with its tests: other types by the same names
			continue
		}
		for _, name := range one.Types.Scope().Names() {
			object, ok := one.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || object.IsAlias() {
				continue
			}
			files[object] = one
			if types.IsInterface(object.Type()) {
				interfaces = append(interfaces, object)
			} else {
				types_ = append(types_, object)
			}
		}
	}
	for _, object := range types_ {
		for _, base := range interfaces {
			methods := base.Type().Underlying().(*types.Interface)
			if methods.NumMethods() == 0 || !types.Implements(types.NewPointer(object.Type()), methods) {
				continue
			}
			one, known := t.indexOf(files[object].Fset, object)
			other, both := t.indexOf(files[base].Fset, base)
			if known && both {
				t.answer.Implemented = append(t.answer.Implemented, []int{one, other})
			}
		}
	}
}

func (t *truth) indexOf(files *token.FileSet, object types.Object) (int, bool) {
	at, inside := t.place(files, object.Pos())
	index, known := t.places[at]
	return index, inside && known
}
