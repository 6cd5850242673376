/** The two roles of the database: the owner migrates, the service works with least privilege. They may be one. */
export interface DatabaseUrls {
  ownerUrl: string
  serviceUrl: string
}
