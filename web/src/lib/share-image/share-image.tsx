import 'server-only'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ImageResponse } from 'next/og'
import { markPaths } from '@/components/brand/mark-paths'
import { brandColors } from '@/config/tokens'
import { listArticles } from '../content/articles'
import { SITE_IMAGE, SITE_IMAGE_TEXT } from '../open-graph'

const fonts = path.join(process.cwd(), 'node_modules/@fontsource/bricolage-grotesque/files')

/** File names of the share images: one for the site and one for each article. */
export async function shareImageNames(): Promise<string[]> {
  return [SITE_IMAGE, ...(await listArticles()).map(({ slug }) => slug)].map(
    (name) => `${name}.png`,
  )
}

async function titleOf(file: string): Promise<string> {
  const article = (await listArticles()).find(({ slug }) => `${slug}.png` === file)
  return article?.title ?? SITE_IMAGE_TEXT
}

/**
 * The share image (1200 × 630 PNG) of `file`, drawn from a title and the mark. It never shows the product's
 * name, which an installation chooses.
 */
export async function shareImage(file: string): Promise<ImageResponse> {
  const title = await titleOf(file)
  const font = await readFile(path.join(fonts, 'bricolage-grotesque-latin-700-normal.woff'))
  return new ImageResponse(
    <div
      style={{
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'flex-end',
        width: '100%',
        height: '100%',
        padding: 72,
        background: brandColors.paper,
        color: brandColors.ink,
      }}
    >
      <svg
        viewBox="0 0 32 32"
        width={360}
        height={360}
        fill={brandColors.ember}
        style={{ position: 'absolute', right: -20, top: -20 }}
      >
        {markPaths.map((d) => (
          <path key={d} d={d} />
        ))}
      </svg>
      <div
        style={{
          display: 'flex',
          maxWidth: 900,
          fontSize: title.length > 60 ? 68 : 80,
          lineHeight: 1.04,
          letterSpacing: '-0.035em',
        }}
      >
        {title}
      </div>
    </div>,
    {
      width: 1200,
      height: 630,
      fonts: [{ name: 'Bricolage Grotesque', data: font, weight: 700 }],
    },
  )
}
