# There is no build step: Node 24 runs the TypeScript files as they are, by leaving their types out.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

# The optional packages are Node itself and the embedded PostgreSQL, for machines that have neither.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

COPY migrations ./migrations
COPY projections ./projections
COPY src ./src

USER node
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
CMD ["node", "src/main.ts", "serve"]
