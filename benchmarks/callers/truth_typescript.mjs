// The truth for TypeScript: the compiler is asked what each name means, with every package name of
// the sample leading to its sources.
// node truth_typescript.mjs REQUEST ANSWER (JSON files)

import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [request, answer] = process.argv.slice(2)
const { workspace, modules, repositories } = JSON.parse(fs.readFileSync(request, 'utf8'))
const ts = createRequire(path.join(modules, 'x.js'))('typescript')
const SOURCE = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/
const TEST = /(^|\/)(tests?|__tests__|__mocks__)\/|\.(test|spec|bench|test-d)\.[a-z]+$/
const NAMED = ['value', 'mention']
const CALLABLE = ['function', 'class', 'method']
const OPTIONS = {
  allowJs: true,
  jsx: ts.JsxEmit.ReactJSX,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  experimentalDecorators: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
}

function filesBelow(directory) {
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !['node_modules', '.git'].includes(entry.name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(directory, entry.name)
      if (entry.isDirectory()) return filesBelow(file)
      return entry.isFile() && SOURCE.test(entry.name) ? [file] : []
    })
}

// --- Which file a module name means -------------------------------------------------------------

const packages = new Map()
for (const { name, packages: directories } of repositories) {
  for (const directory of directories) {
    const root = path.join(workspace, name, directory)
    packages.set(JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).name, root)
  }
}

function packageOf(module) {
  const parts = module.split('/')
  return parts.slice(0, module.startsWith('@') ? 2 : 1).join('/')
}

function sourceOf(module) {
  const name = packageOf(module)
  const root = packages.get(name)
  if (!root) return undefined
  const stem = path.join(root, 'src', module.slice(name.length + 1))
  return ['.ts', '.tsx', '/index.ts', '/index.tsx']
    .map((ending) => stem.replace(/\/$/, '') + ending)
    .find((file) => ts.sys.fileExists(file))
}

const configurations = new Map()
function aliasesFor(directory) {
  if (!configurations.has(directory)) {
    const file = path.join(directory, 'tsconfig.json')
    const above = path.dirname(directory)
    const inside = directory.startsWith(workspace + path.sep)
    const own = inside && ts.sys.fileExists(file) ? aliasesIn(file) : undefined
    configurations.set(directory, own ?? (inside ? aliasesFor(above) : {}))
  }
  return configurations.get(directory)
}

function aliasesIn(file) {
  const { config } = ts.readConfigFile(file, ts.sys.readFile)
  const host = { ...ts.sys, readDirectory: () => [] }
  const { options } = ts.parseJsonConfigFileContent(config ?? {}, host, path.dirname(file))
  const { paths, pathsBasePath, baseUrl } = options
  return paths ? { paths, pathsBasePath, baseUrl } : {}
}

function resolve(module, file) {
  const source = sourceOf(module)
  if (source) return { resolvedFileName: source, extension: path.extname(source) }
  const options = { ...OPTIONS, ...aliasesFor(path.dirname(file)) }
  return ts.resolveModuleName(module, file, options, ts.sys).resolvedModule
}

const roots = repositories.flatMap(({ name }) => filesBelow(path.join(workspace, name)))
const host = ts.createCompilerHost(OPTIONS)
host.resolveModuleNameLiterals = (literals, file) =>
  literals.map((literal) => ({ resolvedModule: resolve(literal.text, file) }))
const program = ts.createProgram(roots, OPTIONS, host)
const checker = program.getTypeChecker()

// --- Definitions --------------------------------------------------------------------------------

const definitions = []
const indexOfKey = new Map()
const indexOfNode = new Map()

function isFunction(node) {
  return node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
}

function kindOf(node) {
  if (ts.isFunctionDeclaration(node)) return 'function'
  if (ts.isClassDeclaration(node)) return 'class'
  if (ts.isInterfaceDeclaration(node)) return 'interface'
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return 'method'
  if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) return 'property'
  if (ts.isPropertyDeclaration(node)) return isFunction(node.initializer) ? 'method' : undefined
  if (ts.isPropertySignature(node)) return isCalledProperty(node) ? 'method' : undefined
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return undefined
  if (isFunction(node.initializer)) return 'function'
  return node.initializer && ts.isClassExpression(node.initializer) ? 'class' : undefined
}

// An interface's property of function type: what implements the interface may have a method for it.
function isCalledProperty(node) {
  if (!node.type || !ts.isInterfaceDeclaration(node.parent)) return false
  const type = checker.getNonNullableType(checker.getTypeFromTypeNode(node.type))
  return type.getCallSignatures().length > 0
}

function isHidden(node) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  const name = node.name.text ?? ''
  return (
    Boolean(ts.getCombinedModifierFlags(node) & hidden) ||
    ts.isPrivateIdentifier(node.name) ||
    name.startsWith('_')
  )
}

function isPublic(place, node, kind, enclosing) {
  if (!place.published || isHidden(node) || kind === 'interface') return false
  if (enclosing.length === 0) return isTopLevel(node) && place.exported.has(node.name.text)
  return enclosing.length === 1 && ts.isClassLike(node.parent) && enclosing[0].public
}

function isTopLevel(node) {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node
  return ts.isSourceFile(statement.parent)
}

function define(place, node, kind, enclosing) {
  const name = [...enclosing.map((one) => one.name), node.name.text].join('.')
  const key = `${place.project}:${place.file}:${name}`
  const line = lineAndColumn(place.source, node.name).line
  const isOpen = isPublic(place, node, kind, enclosing)
  if (!indexOfKey.has(key)) {
    indexOfKey.set(key, definitions.length)
    definitions.push([place.project, place.file, line, name, kind, isOpen])
  }
  const index = indexOfKey.get(key)
  if (definitions[index][4] === 'interface') definitions[index].splice(4, 2, kind, isOpen)
  indexOfNode.set(node, index)
  return { name: node.name.text, kind, public: isOpen }
}

function collectDefinitions(place, node, enclosing) {
  const kind = kindOf(node)
  const named = kind && node.name && node.name.text !== undefined
  const inner = named ? [...enclosing, define(place, node, kind, enclosing)] : enclosing
  ts.forEachChild(node, (child) => collectDefinitions(place, child, inner))
}

// --- Sites --------------------------------------------------------------------------------------

const sites = []

function lineAndColumn(source, node) {
  const start = node.getStart(source)
  const { line, character } = source.getLineAndCharacterOfPosition(start)
  const before = source.text.slice(start - character, start)
  return { line: line + 1, column: [...before].length }
}

function plain(expression) {
  let node = expression
  while (
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isExpressionWithTypeArguments(node)
  ) {
    node = node.expression
  }
  return node
}

function nameOf(expression) {
  const node = plain(expression)
  if (ts.isPropertyAccessExpression(node)) return node.name
  return ts.isIdentifier(node) ? node : undefined
}

function isFromOutside(symbol) {
  const declaration = symbol.declarations?.[0]
  const imported = declaration && ts.findAncestor(declaration, ts.isImportDeclaration)
  const module = imported?.moduleSpecifier.text
  return Boolean(module) && !module.startsWith('.') && !packages.has(packageOf(module))
}

function meaning(name) {
  let symbol = ts.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name)
  if (!symbol) return { targets: [], held: [], judged: false }
  const outside = isFromOutside(symbol)
  if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
  const declarations = symbol.declarations ?? []
  const found = declarations.map((one) => indexOfNode.get(one)).filter((one) => one !== undefined)
  const targets = [...new Set(found)].sort((one, other) => one - other)
  const held = targets.length === 0 ? heldBy(name) : []
  return { targets, held, judged: outside || declarations.length > 0 }
}

function heldBy(variable) {
  const type = checker.getTypeAtLocation(variable)
  const found = [...type.getCallSignatures(), ...type.getConstructSignatures()]
    .flatMap(({ declaration }) => (declaration ? [declaration, declaration.parent] : []))
    .map((one) => indexOfNode.get(one))
  return [...new Set(found.filter((one) => one !== undefined))].sort((one, other) => one - other)
}

function use(place, expression, kind, owner = null) {
  const name = nameOf(expression)
  if (!name || (kind === 'element' && ts.isIdentifier(name) && isIntrinsic(expression))) return
  const { targets, held, judged } = meaning(name)
  const isCallable = (one) => CALLABLE.includes(definitions[one][4])
  if (NAMED.includes(kind) && judged && ![...targets, ...held].some(isCallable)) return
  const { line, column } = lineAndColumn(place.source, name)
  const where = [place.project, place.file, line, column]
  sites.push([...where, name.text, kind, targets, judged, owner, held, receiver(expression)])
}

// `super(…)` makes the part of an instance that is the base class's.
function useBase(place, keyword) {
  const symbol = checker.getTypeAtLocation(keyword).symbol
  const found = (symbol?.declarations ?? []).map((one) => indexOfNode.get(one))
  const targets = found.filter((one) => one !== undefined)
  const { line, column } = lineAndColumn(place.source, keyword)
  const where = [place.project, place.file, line, column]
  sites.push([...where, 'super', 'new', targets, Boolean(symbol), null, [], ''])
}

// --- Through what a method is called ------------------------------------------------------------

function receiver(expression) {
  const node = plain(expression)
  return ts.isPropertyAccessExpression(node) ? shape(plain(node.expression)) : ''
}

function shape(value) {
  if (value.kind === ts.SyntaxKind.ThisKeyword) return 'self'
  if (value.kind === ts.SyntaxKind.SuperKeyword) return 'base'
  if (ts.isPropertyAccessExpression(value)) return 'field'
  if (ts.isCallExpression(value)) return 'chained call'
  if (ts.isNewExpression(value)) return 'constructed'
  if (ts.isAwaitExpression(value)) return 'awaited'
  if (ts.isElementAccessExpression(value)) return 'element'
  return ts.isIdentifier(value) ? variable(value) : 'other expression'
}

function variable(name) {
  const symbol = checker.getSymbolAtLocation(name)
  const declaration = symbol?.declarations?.[0]
  if (!declaration) return 'other variable'
  if (symbol.flags & ts.SymbolFlags.Alias) {
    return ts.isNamespaceImport(declaration) ? 'module' : 'imported variable or type'
  }
  if (ts.isClassLike(declaration) || ts.isFunctionDeclaration(declaration)) return 'type'
  if (ts.isBindingElement(declaration)) return 'taken out of an object'
  if (ts.isParameter(declaration)) {
    return declaration.type ? narrowed(symbol, name, 'annotated parameter') : 'untyped parameter'
  }
  return ts.isVariableDeclaration(declaration) ? variableOf(symbol, name, declaration) : 'other variable'
}

function narrowed(symbol, name, otherwise) {
  const isSame = checker.getTypeOfSymbol(symbol) === checker.getTypeAtLocation(name)
  return isSame ? otherwise : 'narrowed'
}

function variableOf(symbol, name, declaration) {
  if (declaration.type) return narrowed(symbol, name, 'declared variable')
  if (ts.isForOfStatement(declaration.parent.parent)) return 'loop variable'
  const value = declaration.initializer && plain(declaration.initializer)
  if (!value) return 'other variable'
  if (ts.isNewExpression(value)) return 'constructed'
  if (ts.isCallExpression(value)) return 'local from a call'
  if (ts.isAwaitExpression(value)) return 'local from an awaited call'
  if (ts.isElementAccessExpression(value)) return 'local from an element'
  if (ts.isIdentifier(value) || ts.isPropertyAccessExpression(value)) return 'local from a name'
  return ts.isObjectLiteralExpression(value) ? 'object literal' : 'other variable'
}

function isIntrinsic(tag) {
  return ts.isIdentifier(tag) && /^[a-z]/.test(tag.text)
}

function collectSites(place, node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const isBase = node.expression.kind === ts.SyntaxKind.SuperKeyword
    const isDecorator = ts.isDecorator(node.parent)
    const kind = ts.isNewExpression(node) ? 'new' : isDecorator ? 'decorate' : 'call'
    if (isBase) useBase(place, node.expression)
    else use(place, node.expression, kind)
    for (const argument of node.arguments ?? []) use(place, argument, 'value')
  } else if (ts.isTaggedTemplateExpression(node)) {
    use(place, node.tag, 'call')
  } else if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) {
    use(place, node.expression, 'decorate')
  } else if (ts.isHeritageClause(node)) {
    const owner = indexOfNode.get(node.parent) ?? indexOfNode.get(node.parent.parent) ?? null
    for (const type of node.types) use(place, type.expression, 'inherit', owner)
  } else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
    use(place, node.tagName, 'element')
  }
  for (const mentioned of mentionedIn(node)) use(place, mentioned, 'mention')
  ts.forEachChild(node, (child) => collectSites(place, child))
}

function mentionedIn(node) {
  if (ts.isArrayLiteralExpression(node)) return node.elements
  if (ts.isPropertyAssignment(node)) return [node.initializer]
  if (ts.isShorthandPropertyAssignment(node)) return [node.name]
  if (ts.isJsxExpression(node) || ts.isReturnStatement(node)) {
    return node.expression ? [node.expression] : []
  }
  return []
}

// --- All files ----------------------------------------------------------------------------------

const places = roots.map((root) => {
  const [project, ...rest] = path.relative(workspace, root).split(path.sep)
  const file = rest.join('/')
  const source = program.getSourceFile(root)
  const symbol = checker.getSymbolAtLocation(source)
  const exports = symbol ? checker.getExportsOfModule(symbol) : []
  const own = repositories.find(({ name }) => name === project).packages
  return {
    project,
    file,
    source,
    exported: new Set(exports.map((one) => one.name)),
    published: own.some((one) => file.startsWith(path.posix.join(one, 'src/'))) && !TEST.test(file),
  }
})
for (const place of places) collectDefinitions(place, place.source, [])
for (const place of places) collectSites(place, place.source)
fs.writeFileSync(answer, JSON.stringify({ definitions, sites }))
