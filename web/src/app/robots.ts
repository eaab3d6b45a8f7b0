import type { MetadataRoute } from 'next'
import { site } from '@/config/site'

export const dynamic = 'force-static'

export default function robots(): MetadataRoute.Robots {
  return {
    rules: { userAgent: '*', allow: '/', disallow: '/api/' },
    sitemap: `${site.origin}/sitemap.xml`,
  }
}
