import 'server-only'
import { ImageResponse } from 'next/og'
import { markPaths } from '@/components/brand/mark-paths'
import { brandColors } from '@/config/tokens'
import { ico } from './ico'

/** The mark as a square PNG with sides of `size` pixels, the mark itself of `mark`. */
function markImage(size: number, mark = size, background = 'transparent'): ImageResponse {
  return new ImageResponse(
    <div
      style={{
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'center',
        width: '100%',
        height: '100%',
        background,
      }}
    >
      <svg viewBox="0 0 32 32" width={mark} height={mark} fill={brandColors.ember}>
        {markPaths.map((d) => (
          <path key={d} d={d} />
        ))}
      </svg>
    </div>,
    { width: size, height: size },
  )
}

/** icon.svg: the mark alone, for browsers that read SVG. */
export function icon(): Response {
  const shapes = markPaths.map((d) => `<path d="${d}"/>`).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="${brandColors.ember}">${shapes}</svg>`
  return new Response(svg, { headers: { 'Content-Type': 'image/svg+xml' } })
}

/** favicon.ico: for programs that read no SVG, with sides of 16 and 32 pixels. */
export async function favicon(): Promise<Response> {
  const images = [16, 32].map(async (size) => ({
    size,
    png: new Uint8Array(await markImage(size).arrayBuffer()),
  }))
  return new Response(ico(await Promise.all(images)), {
    headers: { 'Content-Type': 'image/x-icon' },
  })
}

/** For the home screen of an iPhone, 180 × 180: opaque, as iOS paints what is not in black. */
export const touchIcon = (): Response => markImage(180, 124, brandColors.paper)
