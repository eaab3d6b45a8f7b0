// @vitest-environment node
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { caddyMap, policy, scriptHashes } from './csp.mjs'

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

test('hashes every inline script once and exactly', () => {
  const html = [
    '<script src="/a.js" async=""></script>',
    '<script>one</script>',
    '<script id="x"> two\n</script>',
    '<script>one</script>',
    '<script type="application/ld+json">{"a":1}</script>',
  ].join('')
  expect(scriptHashes(html)).toEqual([hash('one'), hash(' two\n')])
})

test('allows scripts by origin and hash only', () => {
  const directives = new Map(
    policy([hash('one')])
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive]),
  )
  expect(directives.get('script-src')).toBe(`script-src 'self' ${hash('one')}{google_scripts}`)
  expect(directives.get('object-src')).toBe("object-src 'none'")
  expect(directives.get('base-uri')).toBe("base-uri 'none'")
  expect(directives.get('frame-ancestors')).toBe("frame-ancestors 'none'")
  expect(directives.get('form-action')).toBe("form-action 'self'")
  expect(directives.get('connect-src')).toBe(
    "connect-src 'self'{posthog_connections}{google_connections}",
  )
})

test('writes one map with a default', () => {
  const text = caddyMap(
    [
      { route: '/', value: "a 'self'" },
      { route: '/blog', value: 'b' },
    ],
    'c',
  )
  expect(text).toContain(
    'map {http.request.uri.path} {csp} {\n\t/ "a \'self\'"\n\t/blog "b"\n\tdefault "c"\n}',
  )
})
