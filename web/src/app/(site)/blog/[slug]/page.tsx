import { ArticleView } from '@/features/blog/article'
import { articleMetadata, articleParams } from '@/features/blog/article-route'

interface Props {
  params: Promise<{ slug: string }>
}

export const dynamicParams = false
export const generateStaticParams = articleParams
export const generateMetadata = articleMetadata

export default async function ArticlePage({ params }: Props) {
  return <ArticleView slug={(await params).slug} />
}
