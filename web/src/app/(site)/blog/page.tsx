import { JsonLd } from '@/components/json-ld'
import { paths } from '@/config/paths'
import { Blog } from '@/features/blog/blog'
import { pageMetadata } from '@/lib/open-graph'
import { breadcrumbs } from '@/lib/structured-data'

export const metadata = pageMetadata({
  title: 'Blog',
  description: 'Insights, tutorials, and trends in AI-powered iOS development',
  path: paths.blog,
})

export default function BlogPage() {
  return (
    <>
      <JsonLd things={[breadcrumbs([{ name: 'Blog', path: paths.blog }])]} />
      <Blog />
    </>
  )
}
