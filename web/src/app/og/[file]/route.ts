import { shareImage, shareImageNames } from '@/lib/share-image/share-image'

export const dynamic = 'force-static'
export const dynamicParams = false

export async function generateStaticParams() {
  return (await shareImageNames()).map((file) => ({ file }))
}

export async function GET(_: Request, { params }: { params: Promise<{ file: string }> }) {
  return shareImage((await params).file)
}
