import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * The truth for Java: javac is asked what each name means, with the sources of all repositories in one compilation.
 *
 * <p>java Truth.java WORKSPACE CLASSPATH ANSWER REPOSITORY… (WORKSPACE/REPOSITORY has its sources; ANSWER is JSON)
 */
class Truth {
    static final Set<String> LEFT_OUT = Set.of("module-info.java", "package-info.java");
    static final String PUBLISHED = "src/main/java/";

    final Path workspace;
    final Trees trees;
    final SourcePositions positions;
    final List<Object[]> definitions = new ArrayList<>();
    final List<Object[]> sites = new ArrayList<>();
    final Map<String, Integer> indexOfKey = new HashMap<>();
    final Map<Element, Integer> indexOfElement = new HashMap<>();
    final Map<Element, String> declared = new HashMap<>(); // how a variable gets its value

    Truth(Path workspace, Trees trees) {
        this.workspace = workspace;
        this.trees = trees;
        this.positions = trees.getSourcePositions();
    }

    public static void main(String[] arguments) throws IOException {
        Path workspace = Path.of(arguments[0]);
        List<Path> files = new ArrayList<>();
        for (String repository : Arrays.asList(arguments).subList(3, arguments.length)) {
            try (Stream<Path> all = Files.walk(workspace.resolve(repository))) {
                all.filter(file -> file.toString().endsWith(".java")).filter(Files::isRegularFile)
                    .filter(file -> !LEFT_OUT.contains(file.getFileName().toString())).sorted().forEach(files::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        List<String> options = List.of("-proc:none", "-encoding", "UTF-8", "-nowarn", "-Xmaxerrs", "100000",
            "-XDshould-stop.ifError=FLOW", "-classpath", arguments[1]);
        JavacTask task = (JavacTask) compiler.getTask(null, manager, Truth::complain, options, null,
            manager.getJavaFileObjectsFromPaths(files));
        Truth truth = new Truth(workspace, Trees.instance(task));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) truth.new Definitions(unit).scan(unit, null);
        for (CompilationUnitTree unit : units) truth.new Sites(unit).scan(unit, null);
        Files.writeString(Path.of(arguments[2]),
            "{\"definitions\": " + json(truth.definitions) + ", \"sites\": " + json(truth.sites) + "}");
    }

    static void complain(Diagnostic<? extends JavaFileObject> problem) {
        if (problem.getKind() == Diagnostic.Kind.ERROR) System.err.println(problem);
    }

    static String json(Object value) {
        if (value instanceof Object[] row) return json(Arrays.asList(row));
        if (value instanceof Collection<?> many) {
            return many.stream().map(Truth::json).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof String text) return '"' + text + '"'; // names and paths: nothing to escape
        return String.valueOf(value);
    }

    /** What both passes need of a file: where things stand. */
    abstract class Scanner extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final String project;
        final String file;
        final String text;

        Scanner(CompilationUnitTree unit) {
            this.unit = unit;
            Path inside = workspace.relativize(Path.of(unit.getSourceFile().toUri()));
            project = inside.getName(0).toString();
            file = inside.subpath(1, inside.getNameCount()).toString();
            try {
                text = unit.getSourceFile().getCharContent(true).toString();
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        }

        int line(long position) {
            return (int) unit.getLineMap().getLineNumber(position);
        }

        int column(long position) {
            long start = unit.getLineMap().getStartPosition(line(position));
            return text.codePointCount((int) start, (int) position);
        }
    }

    class Definitions extends Scanner {
        final Deque<String> enclosing = new ArrayDeque<>();
        final Deque<Boolean> open = new ArrayDeque<>(List.of(true));

        Definitions(CompilationUnitTree unit) {
            super(unit);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            boolean named = !tree.getSimpleName().isEmpty();
            if (named) {
                boolean isInterface = tree.getKind() == Tree.Kind.INTERFACE;
                enter(tree, tree.getSimpleName().toString(), isInterface ? "interface" : "class");
            }
            super.visitClass(tree, nothing);
            if (named) leave();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            boolean isConstructor = tree.getReturnType() == null;
            if (!isConstructor) enter(tree, tree.getName().toString(), "method");
            super.visitMethod(tree, nothing);
            if (!isConstructor) leave();
            return null;
        }

        void enter(Tree tree, String name, String kind) {
            Element element = trees.getElement(getCurrentPath());
            enclosing.addLast(name);
            boolean isOpen = open.getLast() && element != null && element.getModifiers().contains(Modifier.PUBLIC);
            open.addLast(isOpen && !kind.equals("method")); // what is inside a method has no outside
            String qualified = String.join(".", enclosing);
            int line = line(nameIn(tree, name));
            Integer index = indexOfKey.computeIfAbsent(project + ":" + file + ":" + qualified, key -> {
                definitions.add(new Object[] {project, file, line, qualified, kind, isOpen && file.contains(PUBLISHED)});
                return definitions.size() - 1;
            });
            if (element != null) indexOfElement.put(element, index);
        }

        void leave() {
            enclosing.removeLast();
            open.removeLast();
        }

        /** Where the name stands: after annotations, modifiers and types. */
        long nameIn(Tree tree, String name) {
            Tree before = tree instanceof MethodTree method ? method.getReturnType() : ((ClassTree) tree).getModifiers();
            long start = Math.max(positions.getEndPosition(unit, before), positions.getStartPosition(unit, tree));
            java.util.regex.Matcher found = java.util.regex.Pattern.compile("\\b" + name + "\\b").matcher(text);
            return found.find((int) start) ? found.start() : start;
        }

        @Override
        public Void visitVariable(VariableTree tree, Void nothing) {
            Element element = trees.getElement(getCurrentPath());
            if (element != null) declared.put(element, how(tree, element));
            return super.visitVariable(tree, nothing);
        }

        String how(VariableTree tree, Element element) {
            boolean inferred = tree.getType() == null || positions.getEndPosition(unit, tree.getType()) < 0 || isVar(tree);
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            if (element.getKind().isField()) return "field";
            if (parent instanceof LambdaExpressionTree) return inferred ? "lambda's parameter" : "annotated parameter";
            if (element.getKind() == ElementKind.PARAMETER) return "annotated parameter";
            if (parent instanceof EnhancedForLoopTree) return inferred ? "untyped loop variable" : "loop variable";
            if (!inferred) return "declared variable";
            return tree.getInitializer() instanceof NewClassTree ? "constructed" : "local from a call";
        }

        boolean isVar(VariableTree tree) {
            long start = positions.getStartPosition(unit, tree.getType());
            return start >= 0 && text.startsWith("var ", (int) start);
        }
    }

    class Sites extends Scanner {
        Sites(CompilationUnitTree unit) {
            super(unit);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
            site(path(tree.getMethodSelect()), tree.getMethodSelect(), "call", null);
            handOver(tree.getArguments(), "value");
            return super.visitMethodInvocation(tree, nothing);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void nothing) {
            site(path(plain(tree.getIdentifier())), plain(tree.getIdentifier()), "new", null);
            handOver(tree.getArguments(), "value");
            return super.visitNewClass(tree, nothing);
        }

        @Override
        public Void visitAnnotation(AnnotationTree tree, Void nothing) {
            site(path(tree.getAnnotationType()), tree.getAnnotationType(), "decorate", null);
            for (ExpressionTree argument : tree.getArguments()) {
                if (argument instanceof AssignmentTree pair) handOver(List.of(pair.getExpression()), "value");
            }
            return super.visitAnnotation(tree, nothing);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            Integer owner = indexOfElement.get(trees.getElement(getCurrentPath()));
            List<Tree> bases = new ArrayList<>(tree.getImplementsClause());
            if (tree.getExtendsClause() != null) bases.add(tree.getExtendsClause());
            boolean written = !tree.getSimpleName().isEmpty(); // an anonymous class names its base in `new`
            if (written) for (Tree base : bases) site(path(plain(base)), plain(base), "inherit", owner);
            return super.visitClass(tree, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            mention(tree);
            return super.visitMemberReference(tree, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            mention(tree);
            return super.visitMemberSelect(tree, nothing);
        }

        /** A class or method that is named and neither called nor an argument. */
        void mention(ExpressionTree tree) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            boolean isArgument = parent instanceof MethodInvocationTree call && call.getArguments().contains(tree)
                || parent instanceof NewClassTree made && made.getArguments().contains(tree)
                || parent instanceof AssignmentTree && getCurrentPath().getParentPath().getParentPath().getLeaf() instanceof AnnotationTree;
            if (!isArgument) handOver(List.of(tree), "mention");
        }

        void handOver(List<? extends Tree> arguments, String kind) {
            for (Tree argument : arguments) {
                if (argument instanceof MemberReferenceTree reference) {
                    boolean isNew = reference.getMode() == MemberReferenceTree.ReferenceMode.NEW;
                    Tree named = isNew ? plain(reference.getQualifierExpression()) : reference;
                    site(path(named), named, kind, null);
                } else if (argument instanceof MemberSelectTree literal && literal.getIdentifier().contentEquals("class")) {
                    Tree named = plain(literal.getExpression());
                    site(path(named), named, kind, null);
                }
            }
        }

        TreePath path(Tree tree) {
            return TreePath.getPath(getCurrentPath(), tree);
        }

        Tree plain(Tree type) {
            if (type instanceof ParameterizedTypeTree generic) return plain(generic.getType());
            if (type instanceof AnnotatedTypeTree annotated) return plain(annotated.getUnderlyingType());
            return type;
        }

        void site(TreePath path, Tree tree, String kind, Integer owner) {
            String name = "";
            if (tree instanceof IdentifierTree identifier) name = identifier.getName().toString();
            if (tree instanceof MemberSelectTree select) name = select.getIdentifier().toString();
            if (tree instanceof MemberReferenceTree reference) name = reference.getName().toString();
            long start = positions.getEndPosition(unit, tree) - name.length();
            if (name.isEmpty() || name.equals("this") || name.equals("super") || start < 0 || path == null) return;
            Element element = trees.getElement(path);
            boolean judged = element != null && element.asType().getKind() != javax.lang.model.type.TypeKind.ERROR;
            Integer target = indexOfElement.get(element);
            boolean isName = kind.equals("value") || kind.equals("mention");
            if (isName && judged && target == null) return;
            List<Integer> targets = target == null ? List.of() : List.of(target);
            sites.add(new Object[] {project, file, line(start), column(start), name, kind, targets, judged, owner,
                List.of(), receiver(path, tree)});
        }

        String receiver(TreePath path, Tree tree) {
            Tree value = null;
            if (tree instanceof MemberSelectTree select) value = select.getExpression();
            if (tree instanceof MemberReferenceTree reference) value = reference.getQualifierExpression();
            if (value == null) return "";
            while (value instanceof ParenthesizedTree inner) value = inner.getExpression();
            if (value instanceof MethodInvocationTree) return "chained call";
            if (value instanceof NewClassTree) return "constructed";
            if (value instanceof ArrayAccessTree) return "element";
            if (value instanceof TypeCastTree) return "narrowed";
            Element element = trees.getElement(TreePath.getPath(path, value));
            if (element == null) return "other expression";
            if (element.getKind().isClass() || element.getKind().isInterface()) return "type";
            if (element.getSimpleName().contentEquals("this")) return "self";
            if (element.getSimpleName().contentEquals("super")) return "base";
            return declared.getOrDefault(element, "other variable");
        }
    }
}
